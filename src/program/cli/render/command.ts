import { type Command, Option } from "commander";
import { addCommand, list, text } from "../option/flag.ts";
import { rootFlag } from "../option/shared-flags.ts";
import { defaultInput, defaultOwner } from "./options.ts";

/** Flags and environment variables of the `render` command of the operator that Attune replaces. */
const renderFlags = {
  assetInputDir: list(
    "--asset-input-dir <dir>",
    `folders of manifests, separated by commas; may be repeated (default: $ASSET_INPUT_DIR, or ${defaultInput})`,
  ),
  assetOutputDir: text("--asset-output-dir <dir>", "folder to write to", { shownDefault: "$ASSET_OUTPUT_DIR" }),
  ownerRef: text(
    "--owner-ref <how>",
    "how objects refer to their PerformanceProfile: none, k8s (owner reference) or label-name (label)",
    { shownDefault: `$OWNER_REF, or ${defaultOwner}` },
  ),
  mcpName: text(
    "--mcp-name <pool>",
    "write only the MachineConfig with the boot arguments of this pool; profiles are resolved on this machine",
  ),
  root: rootFlag,
};

/** `attune render`. Its code is loaded when it runs. */
export function renderCommand(program: Command): void {
  const command = addCommand(program, {
    name: "render",
    description: "generate manifests from PerformanceProfile files",
    flags: renderFlags,
    run: async (flags) => {
      const { render } = await import("./run.ts");
      // Node loads its stream modules when standard error is first used.
      const err = (text: string): void => void process.stderr.write(text);
      process.exitCode = await render(flags, { err, env: process.env });
    },
  });
  for (const flag of [...logFlags, ...logSwitches]) command.addOption(new Option(flag).hideHelp());
}

/** klog's flags: accepted and ignored, since scripts pass them to the operator that Attune replaces. */
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
