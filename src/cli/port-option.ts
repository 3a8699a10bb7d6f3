export function portOption(value: string | boolean | undefined): number {
  const port = Number(value ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new Error(`--port ${String(value)}: not a port number (0 to 65535)`);
  return port;
}
