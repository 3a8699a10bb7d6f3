import { equal } from "../../src/language/object/json.ts";
import type { Observation } from "./fixture.ts";
import type { Observed } from "./observe.ts";

/** The parts in which an observation differs from the expected one. */
export function differences(
  observed: Observed,
  expected: Observation,
): Record<string, { expected: unknown; observed: unknown }> {
  const timing = new Set(expected.timing ?? []);
  const found: Record<string, { expected: unknown; observed: unknown }> = {};
  const check = (part: string, want: unknown, have: unknown): void => {
    if (!equal(want, have)) found[part] = { expected: want, observed: have };
  };
  check("profiles", expected.profiles, observed.profiles);
  for (const [node, names] of Object.entries(observed.carried)) {
    // A Profile has the texts its node needs: all must be recorded ones, and the chosen profile must be among them.
    const all = Array.isArray(expected.carried) ? expected.carried : (expected.carried[node] ?? []);
    const { [node]: chosen = "" } = observed.profiles;
    const profile = typeof chosen === "string" ? chosen : chosen.profile;
    check(
      `carried on ${node}`,
      [],
      names.filter((name) => !all.includes(name)),
    );
    if (all.includes(profile)) check(`chosen one carried on ${node}`, true, names.includes(profile));
  }
  for (const [name, text] of Object.entries(expected.texts ?? {}))
    if (name in observed.texts) check(`text of ${name}`, text, observed.texts[name]);
  if (expected.annotations && !timing.has("profileAnnotations"))
    for (const [node, annotations] of Object.entries(observed.annotations))
      check(`annotations of ${node}`, expected.annotations[node] ?? expected.annotations, annotations);
  check("nodes without a Profile", (expected.without ?? []).toSorted(), observed.without.toSorted());
  check("tuneds", expected.tuneds, observed.tuneds);
  for (const [type, wanted] of Object.entries(expected.operator))
    if (!timing.has(`clusterOperator.${type}`)) check(`operator ${type}`, wanted, observed.operator[type]);
  check("daemonSet", expected.daemonSet ?? true, observed.daemonSet);
  check("machineConfigs", normal(expected.machineConfigs ?? {}), normal(observed.machineConfigs));
  return found;
}

function normal(configs: NonNullable<Observation["machineConfigs"]>): object {
  return Object.fromEntries(
    Object.entries(configs).map(([name, { labels = {}, arguments: given, generated = false }]) => [
      name,
      { labels, arguments: given ?? [], generated },
    ]),
  );
}
