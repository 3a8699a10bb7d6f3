import { join } from "node:path";
import { Program } from "../../../src/program/cli/testing/program.ts";

export interface BuiltPage {
  readonly assets: string;
  remove(): Promise<void>;
}

/** The page as the program ships it. */
export async function builtPage(): Promise<BuiltPage> {
  const program = await Program.build();
  return { assets: join(program.path, "console"), remove: () => program.remove() };
}
