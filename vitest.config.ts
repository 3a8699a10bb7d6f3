import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { nodejs } from "./image/contents.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Of the programs that suites start. */
    nodeVersion: string;
  }
}

/** Suites that start the program run a second time with the Node.js of the image, which `npm test` downloads. */
function onNodeOfImage(path: string): TestProjectInlineConfiguration {
  const include = ["src", "test"]
    .flatMap((folder) => readdirSync(folder, { encoding: "utf8", recursive: true }).map((name) => join(folder, name)))
    // A real node runs the image itself, an emulated machine the Node.js of its own disk, and the console needs a browser.
    .filter((file) => file.endsWith(".test.ts") && !/^test\/(console|real-node|real-machine)\//.test(file))
    .filter((file) => /\/testing\/program\.ts"/.test(readFileSync(file, "utf8")));
  const env = { ATTUNE_NODE: path, ATTUNE_BUNDLE: process.env.ATTUNE_IMAGE_BUNDLE ?? "" };
  const provide = { nodeVersion: `v${nodejs.version}` };
  // After the others: some suites use what a machine has once.
  return { extends: true, test: { name: "image-node", include, env, provide, sequence: { groupOrder: 1 } } };
}
/** Suites of the console share one browser. */
const inBrowser = "test/console";
const nodeOfImage = process.env.ATTUNE_IMAGE_NODE;

export default defineConfig({
  test: {
    // Modules hold no state, so test files share one registry of modules: loading them anew for each took a fifth of the run.
    isolate: false,
    projects: [
      { extends: true, test: { name: "src", include: ["src/**/*.test.ts"] } },
      { extends: true, test: { name: "console", include: ["console/**/*.test.ts"] } },
      {
        extends: true,
        test: { name: "test", include: ["test/**/*.test.ts"], exclude: [`${inBrowser}/**`] },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: [`${inBrowser}/**/*.test.ts`],
          globalSetup: [`${inBrowser}/harness/shared-browser.ts`],
        },
      },
      ...(nodeOfImage ? [onNodeOfImage(nodeOfImage)] : []),
    ],
    // Suites that run real programs start servers and processes: a hang fails, a busy machine does not.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000, interval: 20 } },
    // One core is usually left for the user. Where there are two, that would be half of them; suites wait a lot, and three
    // workers keep two cores busy.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    restoreMocks: true,
    provide: { nodeVersion: process.version },
  },
});
