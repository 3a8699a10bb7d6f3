import { runScenarios } from "./scenarios.ts";

runScenarios("pools");
