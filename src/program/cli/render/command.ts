import { type Command, Option } from "commander";
import { addCommand, type Environment, type Flag, list, text, toggle } from "../option/flag.ts";
import { rootFlag } from "../option/shared-flags.ts";
import { writeErr } from "../terminal/terminal.ts";
import { defaultInput, defaultOwner, type RenderFlags } from "./options.ts";

const inputFlag = (fallback: string): Flag<readonly string[] | undefined> =>
  list("--asset-input-dir <dir>", `folders of manifests, separated by commas; may be repeated (default: ${fallback})`);

/** Flags and environment variables of the `render` command of the operator that Attune replaces. */
const renderFlags = {
  assetInputDir: inputFlag(`$ASSET_INPUT_DIR, or ${defaultInput}`),
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
  installConfig: text(
    "--install-config <file>",
    "install-config.yaml of the new cluster: also write its Infrastructure, with cpuPartitioningMode and the topologies",
  ),
  plain: toggle(
    "--plain",
    "for a cluster without MachineConfigPools: write a Tuned that selects nodes by labels, and the kubelet settings as a KubeletConfiguration",
  ),
  root: rootFlag,
};

/** Flags of its `render-bootcmd-mc` command, which reads no environment variables for them. */
const bootFlags = {
  assetInputDir: inputFlag(defaultInput),
  assetOutputDir: text("--asset-output-dir <dir>", "folder to write to", { required: true }),
  mcpName: text("--mcp-name <pool>", "name of the pool", { required: true }),
  root: rootFlag,
};

/** `attune render` and `attune render-bootcmd-mc`. Their code is loaded when they run. */
export function renderCommand(program: Command): void {
  const commands = [
    addCommand(program, {
      name: "render",
      description: "generate manifests from PerformanceProfile files",
      flags: renderFlags,
      surplus: true,
      run: (flags, surplus) => run(flags, surplus, process.env),
    }),
    addCommand(program, {
      name: "render-bootcmd-mc",
      summary: "generate the MachineConfig with the boot arguments of a pool",
      description: "generate the MachineConfig with the boot arguments of a pool, as render --mcp-name does",
      flags: bootFlags,
      surplus: true,
      run: (flags, surplus) => run(flags, surplus, {}),
    }),
  ];
  for (const command of commands) for (const flag of ignored) command.addOption(new Option(flag).hideHelp());
}

async function run(flags: RenderFlags, surplus: readonly string[], env: Environment): Promise<void> {
  const { render } = await import("./run.ts");
  if (surplus.length > 0) writeErr(`warning: ignored arguments: ${surplus.join(" ")}\n`);
  process.exitCode = await render(flags, { err: writeErr, env });
}

/**
 * Flags of klog and of the API client: accepted and ignored, since scripts pass them to the operator that Attune replaces,
 * whose commands have them all and ignore surplus arguments as well.
 */
const ignoredFlags = [
  "--kubeconfig <file>",
  "-v, --v <level>",
  "--vmodule <levels>",
  "--log_backtrace_at <place>",
  "--log_dir <dir>",
  "--log_file <file>",
  "--log_file_max_size <size>",
  "--stderrthreshold <level>",
  "--alsologtostderrthreshold <level>",
];
const ignoredSwitches = [
  "logtostderr",
  "alsologtostderr",
  "add_dir_header",
  "one_output",
  "skip_headers",
  "skip_log_headers",
].map((name) => `--${name} [boolean]`);
const ignored = [...ignoredFlags, ...ignoredSwitches];
