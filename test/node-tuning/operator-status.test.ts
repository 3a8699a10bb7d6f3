import { runScenarios } from "./scenarios.ts";

runScenarios("operator-status");
