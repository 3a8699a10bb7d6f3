import { type HttpConnection, requestBytes } from "../harness/http-connection.ts";
import { configMapsPath, drive, fill, jsonOf, makeNamespace, openConnections, WrongError } from "../harness/load.ts";
import { median, ratio, shown, type Section } from "../harness/report.ts";
import { withServers, type BenchServer } from "../harness/servers.ts";

const objects = 5000;
const prefix = "listed-";

/** One list of all objects, without pages. */
export const bigList: Section = {
  name: "list",
  async measure({ quick, report }) {
    const rounds = quick ? 3 : 9;
    await withServers(async (servers) => {
      const rows: string[][] = [];
      for (const kilobytes of quick ? [1] : [1, 12]) {
        const lists = new Map<BenchServer, { seconds: number; bytes: number }[]>();
        const connections = new Map<BenchServer, readonly HttpConnection[]>();
        for (const server of servers) {
          connections.set(server, await filled(server, kilobytes));
          lists.set(server, []);
        }
        for (let round = 0; round < rounds; round++)
          for (const server of servers)
            lists.get(server)?.push(await list(server, connections.get(server) ?? [], kilobytes, round === 0));
        for (const opened of connections.values()) for (const connection of opened) connection.close();
        const seconds = [...lists.values()].map((list) => median(list.map(({ seconds }) => seconds)));
        const bytes = [...lists.values()].map((list) => list[0]?.bytes ?? Number.NaN);
        const [ours = Number.NaN, real] = seconds;
        const speed = seconds.map((seconds, at) => (bytes[at] ?? Number.NaN) / 1e6 / seconds);
        rows.push(
          [
            `${objects} of ${kilobytes} KB: time`,
            shown(ours * 1000, "ms"),
            shown(real && real * 1000, "ms"),
            ratio(ours, real),
          ],
          [
            `${objects} of ${kilobytes} KB: speed`,
            shown(speed[0], "MB/s"),
            shown(speed[1], "MB/s"),
            ratio(speed[0], speed[1]),
          ],
        );
      }
      report.table(`A list of ${objects}, median of ${rounds}`, ["", "attune", "real", "attune to real"], rows);
    });
  },
};

function namespaceOf(kilobytes: number): string {
  return `list-${kilobytes}`;
}

async function filled(server: BenchServer, kilobytes: number): Promise<readonly HttpConnection[]> {
  const connections = await openConnections(server, 24);
  const namespace = namespaceOf(kilobytes);
  await makeNamespace(server, connections[0] as HttpConnection, namespace);
  await fill(server, connections, { namespace, prefix, count: objects, size: kilobytes * 1024 });
  return connections;
}

async function list(
  server: BenchServer,
  connections: readonly HttpConnection[],
  kilobytes: number,
  counted: boolean,
): Promise<{ seconds: number; bytes: number }> {
  const request = requestBytes(server, { method: "GET", path: configMapsPath(namespaceOf(kilobytes)) });
  const { seconds, bytes, last } = await drive(connections.slice(0, 1), [request], 200);
  if (counted) {
    // Not kube-root-ca.crt, which appears in every namespace some time after it was made.
    const items = jsonOf(last).items as { metadata: { name: string } }[];
    const found = items.filter(({ metadata }) => metadata.name.startsWith(prefix)).length;
    if (found !== objects) throw new WrongError(`${server.name}: a list of ${objects} has ${found} items`);
  }
  return { seconds, bytes };
}
