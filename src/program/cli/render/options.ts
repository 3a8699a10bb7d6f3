/** What the command line and the environment say. A flag wins over its variable. */
export interface RenderOptions {
  readonly inputs: readonly string[];
  readonly output: string;
  readonly owner: OwnerMode;
  /** For a cluster without MachineConfigPools. */
  readonly plain: boolean;
  /** Render only the boot arguments of this pool. */
  readonly pool?: string | undefined;
  /** Of the new cluster. */
  readonly installConfig?: string | undefined;
  /** Where the root file system of a node of the pool is mounted. */
  readonly root: string;
}

const ownerModes = ["none", "k8s", "label-name"] as const;

/** How objects refer to their PerformanceProfile: not at all, by an owner reference, or by a label with its name. */
export type OwnerMode = (typeof ownerModes)[number];

export interface RenderFlags {
  readonly assetInputDir?: readonly string[] | undefined;
  readonly assetOutputDir?: string | undefined;
  readonly ownerRef?: string | undefined;
  readonly mcpName?: string | undefined;
  readonly installConfig?: string | undefined;
  readonly plain?: boolean | undefined;
  readonly root: string;
}

export const defaultInput = "/assets";
export const defaultOwner: OwnerMode = "label-name";

/** Throws where a value is invalid. An empty variable counts as not set, except `OWNER_REF`. */
export function renderOptions(flags: RenderFlags, env: Readonly<Record<string, string | undefined>>): RenderOptions {
  const { installConfig } = flags;
  // An install config is enough to render: there may be no manifests yet.
  const fallback = env.ASSET_INPUT_DIR || (installConfig === undefined ? defaultInput : undefined);
  const { assetInputDir = fallback === undefined ? [] : [fallback], assetOutputDir = env.ASSET_OUTPUT_DIR } = flags;
  const inputs = assetInputDir.flatMap((folders) => folders.split(","));
  if (inputs.includes("")) throw new Error(`--asset-input-dir ${assetInputDir.join(",")}: a folder name is empty`);
  if (!assetOutputDir) throw new Error("--asset-output-dir is required, or ASSET_OUTPUT_DIR in the environment");
  if (flags.mcpName === "") throw new Error("--mcp-name: the name is empty");
  if (installConfig === "") throw new Error("--install-config: the name of the file is empty");
  if (installConfig !== undefined && flags.mcpName !== undefined)
    throw new Error("--install-config and --mcp-name exclude each other: boot arguments do not depend on it");
  const { plain = false } = flags;
  if (plain && flags.mcpName !== undefined)
    throw new Error("--plain and --mcp-name exclude each other: a plain cluster has no pools");
  return {
    inputs,
    plain,
    output: assetOutputDir,
    owner: ownerMode(flags.ownerRef ?? env.OWNER_REF ?? defaultOwner),
    pool: flags.mcpName,
    installConfig,
    root: flags.root,
  };
}

function ownerMode(text: string): OwnerMode {
  const known = ownerModes.find((mode) => mode === text);
  if (!known) throw new Error(`--owner-ref ${JSON.stringify(text)}: not one of ${ownerModes.join(", ")}`);
  return known;
}
