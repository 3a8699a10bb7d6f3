import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Suites that run real programs start servers and processes: a hang fails, a busy machine does not.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // One core is usually left for the user. Where there are two, that would be half of them, and suites wait a lot.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    restoreMocks: true,
  },
});
