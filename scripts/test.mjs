// `npm test`: set-up, type check, lint, format check, bundle, then all tests. Ends with `N passed, N failed`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { prepareTools } from "./test-tools.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const long = process.argv.includes("--long");
const results = mkdtempSync(join(tmpdir(), "attune-test-"));
process.on("exit", () => rmSync(results, { recursive: true, force: true }));

const tools = prepareTools(long);
let failed = 0;

run("type check", "tsc", ["--noEmit", "-p", "tsconfig.json"]);
run("lint", "oxlint", ["--type-aware", "--max-warnings", "0"]);
run("format", "oxfmt", ["--check"]);
run("bundle", process.execPath, ["scripts/bundle.mjs"]);

const report = join(results, "vitest.json");
const suites = run("tests", "vitest", ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`], {
  ...process.env,
  ...tools.env,
  ATTUNE_LONG: long ? "1" : "",
});
const counts = countsIn(report) ?? { passed: 0, failed: suites ? 0 : 1, skipped: 0 };
if (!suites && counts.failed === 0) counts.failed = 1;

for (const { files, reason } of tools.missing)
  console.log(`not run: ${files ? skippedIn(report, files) : "all"} (${reason})`);
if (process.env.CI === "true" && tools.missing.length > 0) {
  console.log("with CI=true all tests must run");
  failed++;
}
const total = counts.failed + failed;
console.log(`${counts.passed} passed, ${total} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ""}`);
process.exit(total === 0 ? 0 : 1);

function run(name, command, args, env = process.env) {
  const began = performance.now();
  const path = command.includes("/") ? command : join(root, "node_modules/.bin", command);
  const { status } = spawnSync(path, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"], env });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${status === 0 ? "ok" : "FAILED"}  ${name} (${seconds} s)`);
  if (status !== 0 && name !== "tests") failed++;
  return status === 0;
}

/** The number of skipped tests in files that match `names`. */
function skippedIn(file, names) {
  try {
    const { testResults } = JSON.parse(readFileSync(file, "utf8"));
    return testResults
      .filter(({ name }) => names.test(name))
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === "pending" || status === "skipped").length;
  } catch {
    return "all";
  }
}

function countsIn(file) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(file, "utf8"));
    return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests };
  } catch {
    return undefined;
  }
}
