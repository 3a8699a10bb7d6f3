import { spawnSync } from "node:child_process";
import { type Browser, chromium } from "playwright-core";
import { WrongError } from "../harness/load.ts";
import { median, type Report, type Section, shown } from "../harness/report.ts";
import { FleetCluster, largeNode, largestMachine } from "./fleet-cluster.ts";
import { MeasuredPage, type Work } from "./measured-page.ts";
import { rowBytes } from "./row-bytes.ts";

const sizes = [500, 5000] as const;
const changed = 100;

interface Fleet {
  readonly cluster: FleetCluster;
  readonly measured: MeasuredPage;
  /** Of all rows, on the wire. */
  readonly rowBytes: number;
  /** Until rows are painted: of the first page, for which the console lists all objects, and of later ones. */
  readonly shownMs: { readonly first: number; readonly later: number };
  drift: number;
}

/** The page in a real browser, with a small and a large cluster. */
export const consolePage: Section = {
  name: "console",
  async measure({ quick, report }) {
    const executablePath = process.env.ATTUNE_CHROMIUM ?? onPath("chromium");
    if (executablePath === undefined) {
      console.log("\nconsole: not measured: there is no chromium, and ATTUNE_CHROMIUM names none");
      return;
    }
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
    const clusters: FleetCluster[] = [];
    try {
      for (const size of sizes) clusters.push(await FleetCluster.open(size));
      const fleets: Fleet[] = [];
      for (const cluster of clusters) fleets.push(await opened(browser, cluster, quick ? 1 : 3));
      loads(fleets, report);
      await updates(fleets, quick ? 3 : 5, report);
      await hands(fleets, report);
      await heap(fleets, quick ? 20 : 300, report);
      await map(fleets, report);
    } finally {
      await browser.close();
      for (const cluster of clusters) await cluster.close();
    }
  },
};

async function opened(browser: Browser, cluster: FleetCluster, pages: number): Promise<Fleet> {
  const first = await MeasuredPage.open(browser, cluster.address());
  let measured = first;
  const later: number[] = [];
  for (let page = 0; page < pages; page++) {
    await measured.page.context().close();
    measured = await MeasuredPage.open(browser, cluster.address());
    later.push(measured.shownMs);
  }
  const shownMs = { first: first.shownMs, later: median(later) };
  return { cluster, measured, rowBytes: await rowBytes(cluster.address()), shownMs, drift: 0 };
}

function loads(fleets: readonly Fleet[], report: Report): void {
  report.table(
    "The first page, nothing cached",
    ["nodes", "files", "rows", "shown", "of a console that just started"],
    fleets.map(({ cluster, measured: { bytes }, rowBytes: rows, shownMs }) => [
      String(cluster.size),
      shown(bytes / 1000, "KB"),
      shown(rows / 1000, "KB"),
      shown(shownMs.later, "ms"),
      shown(shownMs.first, "ms"),
    ]),
  );
  const { measured, rowBytes: rows = Number.NaN, shownMs } = fleets.at(-1) ?? {};
  bar(report, "first load, brotli", (measured?.bytes ?? Number.NaN) / 1000, { most: 340, unit: "KB" });
  bar(report, "rows of 5,000 nodes", rows / 1000, { most: 60, unit: "KB" });
  bar(report, "Fleet of 5,000 nodes shown", shownMs?.later ?? Number.NaN, { most: 1500, unit: "ms" });
}

/** In turns, so that both sizes have the same machine. */
async function updates(fleets: readonly Fleet[], rounds: number, report: Report): Promise<void> {
  const works = fleets.map((): (Work & { deltas: number })[] => []);
  for (let round = 0; round <= rounds; round++)
    for (const [i, fleet] of fleets.entries()) {
      const work = await changeRows(fleet);
      // The first one warms up.
      if (round > 0) works[i]?.push(work);
    }
  // The slower the machine, the more often some of the rows come, and each time the page computes anew.
  const scripts = works.map((of) => median(of.map(({ script, deltas }) => script / deltas)));
  report.table(
    `${changed} rows change, median of ${rounds}`,
    ["nodes", "arrive in", "scripts each", "main thread each"],
    fleets.map(({ cluster }, i) => [
      String(cluster.size),
      shown(median(works[i]?.map(({ deltas }) => deltas) ?? [])),
      shown(scripts[i], "ms"),
      shown(median(works[i]?.map(({ all, deltas }) => all / deltas) ?? []), "ms"),
    ]),
  );
  const [small = Number.NaN, large = Number.NaN] = scripts;
  bar(report, `${changed} of 5,000 rows change: scripts`, large, { most: 12, unit: "ms" });
  bar(report, `${changed} rows of 5,000 to those of 500`, large / small, { most: 1.5, unit: "×" });
}

async function changeRows(fleet: Fleet): Promise<Work & { deltas: number }> {
  fleet.drift = (fleet.drift % 20) + 1;
  const before = await fleet.measured.deltas();
  const work = await fleet.measured.workOf(() => fleet.cluster.drift(changed, fleet.drift));
  const text = await fleet.measured.page.getByRole("heading", { level: 1 }).innerText();
  if (!text.includes(`${changed} need you`)) throw new WrongError(`the page says: ${text}`);
  return { ...work, deltas: (await fleet.measured.deltas()) - before };
}

async function hands(fleets: readonly Fleet[], report: Report): Promise<void> {
  const rows: string[][] = [];
  for (const { cluster, measured } of fleets) {
    const { page } = measured;
    const grid = await page.getByRole("grid", { name: "Nodes" }).boundingBox();
    await page.mouse.move((grid?.x ?? 0) + 200, (grid?.y ?? 0) + 200);
    const steps = 30;
    const scrolled = await measured.workOf(async () => {
      for (let i = 0; i < steps; i++) {
        await page.mouse.wheel(0, 300);
        await page.evaluate("new Promise((resolve) => requestAnimationFrame(resolve))");
      }
    });
    const filter = page.getByPlaceholder("Filter by name or reason");
    await filter.focus();
    const keys = "node-1";
    const typed = await measured.workOf(async () => {
      for (const key of keys) await page.keyboard.press(key);
    });
    await filter.fill("");
    const [scroll, key] = [scrolled.script / steps, typed.script / keys.length];
    rows.push([String(cluster.size), shown(scroll, "ms"), shown(key, "ms")]);
    if (cluster.size === 5000) {
      bar(report, "5,000 nodes: one step of scrolling, scripts", scroll, { most: 16, unit: "ms" });
      bar(report, "5,000 nodes: one key of the filter, scripts", key, { most: 30, unit: "ms" });
    }
  }
  report.table("Scrolling and filtering, scripts", ["nodes", "one step", "one key"], rows);
}

/** About as many changes as a large fleet has in an hour, without the time between them. */
async function heap(fleets: readonly Fleet[], rounds: number, report: Report): Promise<void> {
  const fleet = fleets.at(-1);
  if (!fleet) return;
  const { cluster, measured } = fleet;
  const run = async (count: number): Promise<number> => {
    for (let i = 0; i < count; i++) await cluster.drift(changed, (i % 20) + 1);
    await changeRows(fleet);
    return measured.heap();
  };
  // What grows in the first minutes is code that V8 compiles: half a megabyte, by heap snapshots, and no objects.
  const warm = Math.ceil(rounds / 2);
  const first = await run(warm);
  const last = await run(rounds);
  report.table(
    `Heap with 5,000 nodes, after ${warm * changed} and ${rounds * changed} more changes of rows`,
    ["", "first", "last"],
    [["heap", shown(first, "MB"), shown(last, "MB")]],
  );
  bar(report, "heap after the changes of an hour", last, { most: 60, unit: "MB" });
  bar(report, "heap, last to first", last / first, { most: 1.05, unit: "×" });
}

/** The largest machine that there is: the map of a node, a drag in the designer, an edit. */
async function map(fleets: readonly Fleet[], report: Report): Promise<void> {
  const measured = fleets.at(-1)?.measured;
  if (!measured) return;
  const { page } = measured;
  const cpus = largestMachine.numaNodes.flatMap(({ cores }) => cores.flatMap((core) => core.cpus)).length;
  await goTo(measured, `/nodes/${largeNode}`);
  const tab = page.getByRole("tab", { name: "CPUs" });
  await tab.waitFor();
  const paint = await measured.workUntilPainted(() => tab.click(), "[role=gridcell]");
  const cells = await page.locator("[role=gridcell] .cpu-cell").count();
  if (cells !== cpus) throw new WrongError(`the map shows ${cells} of ${cpus} CPUs`);
  await goTo(measured, "/design?pool=large");
  const box = await page.getByRole("grid", { name: "CPUs of a node of pool large" }).boundingBox();
  const [left, top, width] = [box?.x ?? 0, box?.y ?? 0, box?.width ?? 0];
  const steps = 40;
  const at = (i: number): [number, number] => [left + 30 + (i * (width - 60)) / steps, top + 60];
  await page.mouse.move(...at(0));
  await page.mouse.down();
  const drag = await measured.workOf(async () => {
    for (let i = 1; i <= steps; i++) {
      await page.mouse.move(...at(i));
      await page.evaluate("new Promise((resolve) => requestAnimationFrame(resolve))");
    }
  }, 0);
  await page.mouse.up();
  await page.evaluate("window.forecasts.length = 0");
  const field = page.getByRole("textbox", { name: "Reserved", exact: true });
  for (const text of ["0-3", "0-7", "0-15", "0-31", "0-63"]) {
    await field.fill(text);
    await page.evaluate(
      `new Promise((resolve) => { (function look() { window.forecasts.length > 0 ? resolve() : setTimeout(look, 10); })(); })`,
    );
    await page.waitForTimeout(300);
  }
  const edit = median(await page.evaluate<number[]>("window.forecasts"));
  report.table(
    `A machine of ${cpus} CPUs`,
    ["map painted, main thread", "one step of a drag, main thread", "an edit, worker"],
    [[shown(paint.all, "ms"), shown(drag.all / steps, "ms"), shown(edit, "ms")]],
  );
  bar(report, `map of ${cpus} CPUs painted, main thread`, paint.all, { most: 200, unit: "ms" });
  bar(report, `one step of a drag over ${cpus} CPUs, main thread`, drag.all / steps, { most: 20, unit: "ms" });
  bar(report, "an edit in the designer, worker", edit, { most: 50, unit: "ms" });
}

async function goTo({ page }: MeasuredPage, address: string): Promise<void> {
  await page.evaluate(`history.pushState(null, "", ${JSON.stringify(address)})`);
  await page
    .getByRole("grid")
    .or(page.getByRole("tab", { name: "CPUs" }))
    .first()
    .waitFor();
}

function bar(report: Report, what: string, value: number, { most, unit }: { most: number; unit: string }): void {
  report.bar({ what: `${what} ≤ ${most} ${unit}`, measured: shown(value, unit), met: value <= most });
}

function onPath(name: string): string | undefined {
  const { status, stdout } = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}
