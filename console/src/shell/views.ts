import type { ComponentType } from "react";
import { Fleet } from "../fleet/fleet.tsx";

/** A view of the console: where it is, and where the navigation shows it. */
export interface View {
  readonly path: string;
  readonly title: string;
  readonly group: "See" | "Change" | "Workloads";
  readonly Component: ComponentType;
}

export const views: readonly View[] = [{ path: "/", title: "Fleet", group: "See", Component: Fleet }];
