import { expect, test } from "vitest";
import { differences } from "./parity.ts";
import { casesOf } from "./pool-config-cases.ts";

test.each([
  ["kubelet-config.yaml", "kc-"],
  ["container-runtime-config.yaml", "crc-"],
])("the cases of %s that differ on purpose are listed with their weak points", (file, prefix) => {
  const differing = casesOf(file).flatMap(({ id, differs }): [string, string][] =>
    differs ? [[id, differs.weakPoint.replace("machine-config ", "")]] : [],
  );
  const listed = [...differences()].filter(([id]) => id.startsWith(prefix));
  expect(new Map(differing)).toEqual(new Map(listed));
});
