import { setTimeout as delay } from "node:timers/promises";
import type { Browser, CDPSession, Page } from "playwright-core";

/** What the page does before its own scripts: it notes when something is painted, and how long the worker computes. */
const notes = `(() => {
  const painted = (selector) => new Promise((resolve) => {
    const look = () => document.querySelector(selector)
      ? requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())))
      : requestAnimationFrame(look);
    look();
  });
  window.painted = painted;
  window.firstRow = painted("tbody tr[aria-selected]");
  window.forecasts = [];
  window.deltas = 0;
  const parse = JSON.parse;
  JSON.parse = (text, reviver) => {
    const value = parse(text, reviver);
    if (value?.type === "delta") window.deltas++;
    return value;
  };
  const Own = Worker;
  window.Worker = class extends Own {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", ({ data }) => data.answered?.findings && window.forecasts.push(data.ms));
    }
  };
})()`;

/** CPU time of the page's main thread, in milliseconds: what else the machine does hardly changes it. */
export interface Work {
  readonly script: number;
  /** Script, style, layout and paint. */
  readonly all: number;
}

/** A page of the console, measured by the protocol of the browser's developer tools. */
export class MeasuredPage {
  readonly page: Page;
  readonly #session: CDPSession;
  /** Of the page's own files, over the network. */
  bytes = 0;
  #rowsShown = 0;

  private constructor(page: Page, session: CDPSession) {
    this.page = page;
    this.#session = session;
  }

  static async open(browser: Browser, address: string): Promise<MeasuredPage> {
    const context = await browser.newContext({ viewport: { width: 1600, height: 1000 }, reducedMotion: "reduce" });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const session = await context.newCDPSession(page);
    const measured = new MeasuredPage(page, session);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    await session.send("Network.enable");
    const data = new Set<string>();
    session.on("Network.requestWillBeSent", ({ requestId, request }) => {
      if (new URL(request.url).pathname.startsWith("/api/")) data.add(requestId);
    });
    session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      if (!data.has(requestId)) measured.bytes += encodedDataLength;
    });
    await context.addInitScript(notes);
    await page.goto(address);
    measured.#rowsShown = await page.evaluate<number>("window.firstRow");
    return measured;
  }

  /** From the start of the navigation until rows are painted. */
  get shownMs(): number {
    return this.#rowsShown;
  }

  /** The work of the page while `act` runs and for a while after it. */
  async workOf(act: () => Promise<void>, settleMs = 400): Promise<Work> {
    const before = await this.#metrics();
    await act();
    await delay(settleMs);
    const after = await this.#metrics();
    return { script: after.script - before.script, all: after.all - before.all };
  }

  /** Megabytes of JavaScript after a collection. */
  async heap(): Promise<number> {
    for (let i = 0; i < 2; i++) await this.#session.send("HeapProfiler.collectGarbage");
    const { metrics } = await this.#session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? Number.NaN) / 1e6;
  }

  /** How often rows have changed: what is written within a tenth of a second comes together. */
  deltas(): Promise<number> {
    return this.page.evaluate<number>("window.deltas");
  }

  /** The work from `act` until a selector is painted. */
  workUntilPainted(act: () => Promise<void>, selector: string): Promise<Work> {
    return this.workOf(async () => {
      await act();
      await this.page.evaluate(`window.painted(${JSON.stringify(selector)})`);
    }, 0);
  }

  async #metrics(): Promise<Work> {
    const { metrics } = await this.#session.send("Performance.getMetrics");
    const of = (wanted: string): number => (metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN) * 1000;
    return { script: of("ScriptDuration"), all: of("TaskDuration") };
  }
}
