/** As the command line and the environment give them: a flag stands above its variable. */
export interface RenderOptions {
  readonly inputs: readonly string[];
  readonly output: string;
  readonly owner: OwnerMode;
  /** Ask only for what this pool boots with. */
  readonly pool?: string;
  /** Where the file system of the pool's node is mounted. */
  readonly root: string;
}

const ownerModes = ["none", "k8s", "label-name"] as const;

/** How what is made says whom it belongs to: not at all, by an owner reference, or by a label with the owner's name. */
export type OwnerMode = (typeof ownerModes)[number];

export interface RenderFlags {
  readonly assetInputDir?: readonly string[];
  readonly assetOutputDir?: string;
  readonly ownerRef?: string;
  readonly mcpName?: string;
  readonly root?: string;
}

const defaultInput = "/assets";

/** Throws where an option makes no sense. A variable that is set to nothing says nothing, except `OWNER_REF`. */
export function renderOptions(flags: RenderFlags, env: Readonly<Record<string, string | undefined>>): RenderOptions {
  const { assetInputDir = [env.ASSET_INPUT_DIR || defaultInput], assetOutputDir = env.ASSET_OUTPUT_DIR } = flags;
  const inputs = assetInputDir.flatMap((folders) => folders.split(","));
  if (inputs.includes("")) throw new Error(`--asset-input-dir ${assetInputDir.join(",")}: a folder without a name`);
  if (!assetOutputDir) throw new Error("--asset-output-dir is needed, or $ASSET_OUTPUT_DIR: where should files go?");
  if (flags.mcpName === "") throw new Error("--mcp-name: a pool without a name");
  return {
    inputs,
    output: assetOutputDir,
    owner: ownerMode(flags.ownerRef ?? env.OWNER_REF ?? "label-name"),
    ...(flags.mcpName === undefined ? {} : { pool: flags.mcpName }),
    root: flags.root ?? "/",
  };
}

function ownerMode(text: string): OwnerMode {
  const known = ownerModes.find((mode) => mode === text);
  if (!known) throw new Error(`--owner-ref ${JSON.stringify(text)}: not one of ${ownerModes.join(", ")}`);
  return known;
}
