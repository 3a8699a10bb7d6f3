import { list } from "../option/flag.ts";
import { engineFlag, execFlag, outputFlag, rootFlag } from "../option/shared-flags.ts";

/** Flags of `attune tuned …`: a table for each command. */

const searchFlags = {
  root: rootFlag,
  dir: list("--dir <dir>", "additional folder of profiles; its profiles hide those of the same name; may be repeated"),
};
const tableFlag = outputFlag(["table", "json", "yaml"], "table, json or yaml");

export const listFlags = {
  ...searchFlags,
  output: outputFlag(
    ["table", "wide", "json", "yaml", "name"],
    "table, wide (also hidden profiles), json, yaml or name",
  ),
};
export const showFlags = { ...searchFlags, exec: execFlag };
export const resolveFlags = { ...searchFlags, exec: execFlag, output: tableFlag };
export const applyFlags = { ...searchFlags, engine: engineFlag, output: tableFlag };
export const verifyFlags = { ...searchFlags, exec: execFlag, output: tableFlag };
export const recommendFlags = { root: rootFlag, output: outputFlag(["name", "json", "yaml"], "name, json or yaml") };
export const activeFlags = { root: rootFlag, output: tableFlag };
export const rollbackFlags = { root: rootFlag, output: tableFlag };
