export function nodesOption(value: string | boolean | undefined): number {
  if (typeof value === "string" && /^[1-9][0-9]{0,4}$/.test(value)) return Number(value);
  throw new Error(`--nodes ${String(value)}: not a number of nodes`);
}
