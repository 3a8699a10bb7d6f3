import { OneShotHost } from "../../tuned/one-shot-host.ts";
import { checkDirectory } from "../../tuned/search-path.ts";
import { version } from "../../../version.ts";
import { renderBootArguments } from "./boot-arguments.ts";
import type { Rendered } from "../render-assets.ts";
import type { SortedAssets } from "../sort-assets.ts";

/** The boot arguments of a pool, with profiles resolved on the node that is mounted at `root`. */
export async function renderPool(assets: SortedAssets, pool: string, root: string): Promise<Rendered> {
  const host = new OneShotHost(root);
  await checkDirectory("--root", root, { host, directory: "/" });
  return renderBootArguments({ assets, pool, host, version });
}
