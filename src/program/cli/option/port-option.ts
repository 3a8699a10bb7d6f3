export function portOption(value: string | boolean | undefined): number {
  const port = typeof value === "string" && /^[0-9]{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (!(port <= 65535)) throw new Error(`--port ${String(value)}: not a port number (0 to 65535)`);
  return port;
}
