import { key } from "../../../language/schema/path.ts";
import { annotations as names, group } from "../api.ts";
import { conversionAnnotation } from "../conversion/conversion-data.ts";
import { parseGoBool } from "../read/read-annotations.ts";
import { advice, type Check } from "./check.ts";

const place = (name: string): string => key("metadata.annotations", name);

/** The values that each may have, and what any other value means. */
const known = new Map<
  string,
  { readonly accepts: (value: string) => boolean; readonly words: string; readonly otherwise: string }
>([
  [names.pause, oneOf(["true", "false"], "the profile is not paused")],
  [names.rps, oneOf(["true", "enable", "false", "disable"], "packets are not steered")],
  [names.physicalRps, oneOf(["true", "false"], "packets of physical cards are not steered")],
  [names.execAffinity, oneOf(["enable", "disable"], "commands in containers keep to one CPU")],
  [names.ovsDpdkBalancing, oneOf(["enable", "disable"], "load is balanced", (value) => value.toLowerCase())],
  [
    names.dra,
    {
      accepts: (value) => parseGoBool(value) !== undefined,
      words: "true or false",
      otherwise: "the kubelet allocates CPUs",
    },
  ],
]);

function oneOf(values: readonly string[], otherwise: string, normal: (value: string) => string = String) {
  return {
    accepts: (value: string) => values.includes(normal(value)),
    words: `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`,
    otherwise,
  };
}

export const annotationValueUnknown: Check = {
  name: "AnnotationValueUnknown",
  severity: "warning",
  faults: ({ annotations }) =>
    Object.entries(annotations).flatMap(([name, value]) => {
      const rule = known.get(name);
      if (!rule || rule.accepts(value)) return [];
      return [
        advice(place(name), `${JSON.stringify(value)} is not a known value, so ${rule.otherwise}: write ${rule.words}`),
      ];
    }),
};

export const annotationUnknown: Check = {
  name: "AnnotationUnknown",
  severity: "warning",
  faults: ({ annotations }) =>
    Object.keys(annotations)
      .filter((name) => name.startsWith(`${group}/`) && !known.has(name) && name !== conversionAnnotation)
      .map((name) => advice(place(name), "is not a known annotation and is ignored")),
};

export const annotationWithoutEffect: Check = {
  name: "AnnotationWithoutEffect",
  severity: "warning",
  faults: ({ annotations, spec }) => [
    ...(annotations[names.physicalRps] === "true" && !isOn(annotations[names.rps])
      ? [advice(place(names.physicalRps), `has no effect without ${names.rps}`)]
      : []),
    ...(Object.hasOwn(annotations, names.ovsDpdkBalancing) && !spec.cpu?.ovsDpdk
      ? [advice(place(names.ovsDpdkBalancing), "has no effect without spec.cpu.ovsDpdk")]
      : []),
  ],
};

function isOn(value: string | undefined): boolean {
  return value === "true" || value === "enable";
}
