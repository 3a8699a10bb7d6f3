import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodejs } from "../../image/contents.ts";
import { containerConfig } from "../../image/oci-archive.ts";
import { version } from "../../src/program/version.ts";

const root = new URL("../..", import.meta.url).pathname;
const text = readFileSync(join(root, "Containerfile"), "utf8");
const [build = "", final = ""] = text.split(/^FROM scratch$/m);
const instructions = (name: string): string[] =>
  [...final.matchAll(new RegExp(`^${name} (.*)$`, "gm"))].map(([, words = ""]) => words.replaceAll('"', ""));

describe("the Containerfile", () => {
  test("says of containers what the archive of npm run image says", () => {
    const labels = instructions("LABEL").map((label) => label.split("=") as [string, string]);
    const list = (name: string): string[] => instructions(name).flatMap((words) => words.slice(1, -1).split(", "));
    expect({
      User: instructions("USER")[0],
      Env: instructions("ENV"),
      Entrypoint: list("ENTRYPOINT"),
      Cmd: list("CMD"),
      WorkingDir: instructions("WORKDIR")[0],
      Labels: Object.fromEntries(labels),
    }).toEqual(containerConfig({ version: "$VERSION", revision: "$REVISION", time: 0 }));
    expect(instructions("ARG")).toContain(`VERSION=${version}`);
  });

  test("has the files of npm run image and no others, and builds them with the Node.js of the image", () => {
    expect(build).toMatch(/^RUN .* npm run image -- --arch "\$TARGETARCH" --root \/image$/m);
    expect(instructions("COPY")).toEqual(["--from=build /image /"]);
    expect(instructions("RUN")).toEqual([]);
    const [, major] = /^FROM --platform=\$BUILDPLATFORM node:([0-9]+)-/m.exec(build) ?? [];
    expect(major).toBe(nodejs.version.split(".")[0]);
  });

  test("leaves nothing out of its build that the build needs", () => {
    const ignored = new Set(readFileSync(join(root, ".containerignore"), "utf8").trim().split("\n"));
    for (const name of ["package.json", "package-lock.json", ".npmrc", "scripts", "image", "src", "bin", "LICENSE"])
      expect([name, ignored.has(name), existsSync(join(root, name))]).toEqual([name, false, true]);
  });
});
