import { expect, it } from "vitest";
import { hasWriteBackCacheOption, imageTag } from "./utils-image.ts";

it.each<[string, string | undefined, boolean | undefined]>([
  ["scylladb/scylla:2025.1.5", "2025.1.5", true],
  ["r.example:5000/scylladb/scylla:2021.0.0", "2021.0.0", true],
  ["scylladb/scylla:2020.1.9", "2020.1.9", false],
  ["scylladb/scylla:6.2.0", "6.2.0", true],
  ["scylladb/scylla:4.5.0", "4.5.0", false],
  ["scylladb/scylla:2026.2.4@sha256:b824", "2026.2.4", true],
  ["scylladb/scylla:latest", "latest", undefined],
  ["scylladb/scylla@sha256:00", undefined, undefined],
  ["r.example:5000/scylla", undefined, undefined],
])("%s", (image, tag, supported) => {
  expect(imageTag(image)).toBe(tag);
  expect(hasWriteBackCacheOption(image)).toBe(supported);
});
