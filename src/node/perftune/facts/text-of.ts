import type { Host } from "../../host/host.ts";

/** `undefined` for a file that is missing or cannot be read. */
export async function textOf(host: Pick<Host, "read">, path: string): Promise<string | undefined> {
  const file = await host.read(path);
  return file.type === "text" ? file.text : undefined;
}
