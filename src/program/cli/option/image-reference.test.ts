import { expect, it } from "vitest";
import { defaultImage } from "../../version.ts";
import { imageReference } from "./image-reference.ts";

const hash = "0123456789abcdef".repeat(4);

it.each([
  defaultImage,
  "attune",
  "attune:0.1.0",
  `registry.example/team/attune@sha256:${hash}`,
  `registry.example:5000/team/attune:1.0-rc_1@sha256:${hash}`,
  `attune@sha512:${hash}${hash}`,
  "[::1]:5000/attune",
  "localhost/attune:1",
  "team/a__b--c.d:latest",
])("%s is an image", (image) => expect(imageReference(image, "--image")).toBe(image));

it.each([
  ["", "not an image"],
  ["Attune", "not an image"],
  ["registry.example/Attune", "not an image"],
  ["registry.example/", "not an image"],
  ["registry.example//attune", "not an image"],
  ["a b", "not an image"],
  ["attune\n", "not an image"],
  [`${"a/".repeat(200)}a`, "not an image"],
  ["https://registry.example/attune", "https: is not a host name"],
  ["-x.example/attune", "-x.example is not a host name"],
  ["attune:", "a tag has"],
  [`attune:${"1".repeat(129)}`, "a tag has"],
  ["attune:1$(reboot)", "a tag has"],
  ["attune@", "a digest has"],
  [`attune@sha256:${hash.slice(1)}`, "a digest has"],
  [`attune@sha256:${hash.toUpperCase()}`, "a digest has"],
  [`attune@sha256:${hash}@sha256:${hash}`, "a digest has"],
  [`attune@md5:${hash}`, "a digest has"],
])("%j is none: %s", (image, message) => {
  expect(() => imageReference(image, "--image")).toThrow(`--image ${image}: ${message}`);
});

it("takes no time for a long text", () => {
  expect(() => imageReference(`${"a-".repeat(500_000)}!`, "--image")).toThrow("not an image");
});
