import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Modules hold no state, so tests beside the sources share one registry of modules: loading them anew for each of the
    // files took a quarter of the whole run. Suites start programs and change the process: each has its own.
    projects: [
      { extends: true, test: { name: "src", include: ["src/**/*.test.ts"], isolate: false } },
      { extends: true, test: { name: "test", include: ["test/**/*.test.ts"] } },
    ],
    // Suites that run real programs start servers and processes: a hang fails, a busy machine does not.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // One core is usually left for the user. Where there are two, that would be half of them, and suites wait a lot.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    restoreMocks: true,
  },
});
