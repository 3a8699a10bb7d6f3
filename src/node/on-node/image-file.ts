import type { Host, Outcome } from "../host/host.ts";
import { imageFile, imageVariable } from "../../domain/performance-profile/machine-config/one-shot.ts";

/** Tells the unit that tunes the node before its first pod which image to do it with. */
export async function writeImageFile(host: Pick<Host, "read" | "replace">, image: string): Promise<Outcome> {
  const text = `${imageVariable}=${image}\n`;
  const file = await host.read(imageFile);
  return file.type === "text" && file.text === text ? { type: "done" } : host.replace(imageFile, text);
}
