import { useEffect, useRef, useState } from "react";
import type { PerformanceProfile } from "../../../src/domain/performance-profile/api.ts";
import type { DesignCluster } from "./cluster-objects.ts";
import { DomainClient } from "./domain-client.ts";
import type { Forecast } from "./forecast.ts";

export interface Forecasted {
  /** Of the draft, or of one before it if `isOld`. */
  readonly forecast: Forecast | undefined;
  readonly isOld: boolean;
  readonly problem: string | undefined;
}

/** A result is shown as old only after this long: most come sooner. */
const oldAfterMs = 100;

/** The worker, for as long as the component is shown. It knows the cluster as of the last call. */
export function useDomain(cluster: DesignCluster): DomainClient | undefined {
  const [client, setClient] = useState<DomainClient>();
  useEffect(() => {
    const started = new DomainClient();
    setClient(started);
    return () => started.close();
  }, []);
  useEffect(() => {
    if (client) void client.call("cluster", cluster);
  }, [client, cluster]);
  return client;
}

/** What the draft would do, computed anew with each change of the draft or of the cluster. The latest draft wins. */
export function useForecast(
  client: DomainClient | undefined,
  cluster: DesignCluster,
  draft: PerformanceProfile,
): Forecasted {
  const [state, setState] = useState<Forecasted>({ forecast: undefined, isOld: false, problem: undefined });
  const running = useRef<{ next: PerformanceProfile | undefined }>(undefined);
  useEffect(() => {
    if (!client) return;
    if (running.current) {
      running.current.next = draft;
      return;
    }
    const late = setTimeout(() => setState((last) => ({ ...last, isOld: true })), oldAfterMs);
    const run = async (profile: PerformanceProfile): Promise<void> => {
      const mine: { next: PerformanceProfile | undefined } = { next: undefined };
      running.current = mine;
      try {
        const forecast = await client.call("forecast", profile);
        if (!mine.next) setState({ forecast, isOld: false, problem: undefined });
      } catch (error) {
        // Shown in the view: the draft is kept.
        setState({
          forecast: undefined,
          isOld: false,
          problem: error instanceof Error ? error.message : String(error),
        });
      }
      running.current = undefined;
      if (mine.next) await run(mine.next);
      else clearTimeout(late);
    };
    void run(draft);
  }, [client, cluster, draft]);
  return state;
}
