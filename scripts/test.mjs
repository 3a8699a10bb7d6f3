// `npm test`: set-up, type check, lint, format check, bundles, then all tests. Ends with `N passed, N failed`.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { prepareTools } from "./test-tools.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const long = process.argv.includes("--long");
/** Long forms of tests are chosen by the flag alone. */
const { ATTUNE_LONG: _, ...environment } = process.env;
const results = mkdtempSync(join(tmpdir(), "attune-test-"));
// Inside node_modules, where a bundle finds its packages.
const imageBundle = mkdtempSync(join(root, "node_modules", ".attune-"));
process.on("exit", () => {
  for (const path of [results, imageBundle]) rmSync(path, { recursive: true, force: true });
});

let failed = 0;
const checks = [
  check("type check", "tsc", ["--noEmit", "-p", "tsconfig.json"]),
  check("type check of the console", "tsc", ["--noEmit", "-p", "console/tsconfig.json"]),
  check("lint", "oxlint", ["--type-aware", "--max-warnings", "0"]),
  check("format", "oxfmt", ["--check"]),
  check("bundle", process.execPath, ["scripts/bundle.mjs"]),
];
const tools = prepareTools(long);
const { ATTUNE_IMAGE_NODE } = tools.env;
// Suites that start the program share one bundle per Node.js: a bundle has code that this Node.js compiled.
const bundles = { ATTUNE_BUNDLE: join(root, "dist"), ATTUNE_IMAGE_BUNDLE: imageBundle };
if (ATTUNE_IMAGE_NODE)
  checks.push(
    check("bundle of the image's Node.js", ATTUNE_IMAGE_NODE, ["scripts/bundle.mjs"], {
      ...process.env,
      ATTUNE_BUNDLE_DIR: imageBundle,
    }),
  );
await Promise.all(checks);

const report = join(results, "vitest.json");
const reporters = ["default", "json", "./scripts/slowest-files.mjs"].map((name) => `--reporter=${name}`);
const suites = await run("tests", "vitest", ["run", ...reporters, `--outputFile.json=${report}`], {
  stdio: ["ignore", "inherit", "inherit"],
  env: { ...environment, ...tools.env, ...bundles, ...(long ? { ATTUNE_LONG: "1" } : {}) },
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

async function check(name, command, args, env = process.env) {
  if (!(await run(name, command, args, { stdio: ["ignore", "pipe", "pipe"], env }))) failed++;
}

/** Output that is not inherited is printed in one piece, since commands run beside each other. */
function run(name, command, args, options) {
  const began = performance.now();
  const path = command.includes("/") ? command : join(root, "node_modules/.bin", command);
  const child = spawn(path, args, { cwd: root, ...options });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((resolve) => {
    child.once("error", (error) => (output += `${error.message}\n`));
    child.once("close", (status) => {
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      process.stdout.write(output);
      console.log(`${status === 0 ? "ok" : "FAILED"}  ${name} (${seconds} s)`);
      resolve(status === 0);
    });
  });
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
