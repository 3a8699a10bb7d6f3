import { type Command, Option } from "commander";
import type { RenderFlags } from "./options.ts";

/** `attune render`: options only. What it does is loaded when it is called. */
export function renderCommand(program: Command): void {
  const command = program
    .command("render")
    .description("derive from files what a new cluster's performance profiles come to, into files")
    .option(
      "--asset-input-dir <dir>",
      "folders of manifests, separated by commas; may be repeated (default: $ASSET_INPUT_DIR, or /assets)",
      collect,
    )
    .option("--asset-output-dir <dir>", "where files go (default: $ASSET_OUTPUT_DIR)")
    .option(
      "--owner-ref <how>",
      "how objects tell their profile: none, k8s (a reference) or label-name (default: $OWNER_REF, or label-name)",
    )
    .option("--mcp-name <pool>", "write what nodes of this pool boot with, and nothing else; asks this machine")
    .option("--root <dir>", "with --mcp-name: where the file system of a node of the pool is mounted", "/");
  for (const flag of [...logFlags, ...logSwitches]) command.addOption(new Option(flag).hideHelp());
  command.action(async (flags: RenderFlags) => {
    const { render } = await import("./run.ts");
    // Not even opened unless there is something to say.
    const err = (text: string): void => void process.stderr.write(text);
    process.exitCode = await render(flags, { err, env: process.env });
  });
}

/** Scripts that were written for another program say how it should log. */
const logFlags = [
  "-v, --v <level>",
  "--vmodule <levels>",
  "--log_backtrace_at <place>",
  "--log_dir <dir>",
  "--log_file <file>",
  "--log_file_max_size <size>",
  "--stderrthreshold <level>",
  "--alsologtostderrthreshold <level>",
];
const logSwitches = [
  "logtostderr",
  "alsologtostderr",
  "add_dir_header",
  "one_output",
  "skip_headers",
  "skip_log_headers",
].map((name) => `--${name} [boolean]`);

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
