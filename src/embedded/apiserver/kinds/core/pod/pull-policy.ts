/** Without a tag, or with `latest`, an image may change under its name. */
export function pullPolicy(image: string): "Always" | "IfNotPresent" {
  if (image.includes("@")) return "IfNotPresent";
  const name = image.slice(image.lastIndexOf("/") + 1);
  const colon = name.lastIndexOf(":");
  return colon < 0 || name.slice(colon + 1) === "latest" ? "Always" : "IfNotPresent";
}
