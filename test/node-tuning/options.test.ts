import { runScenarios } from "./scenarios.ts";

runScenarios("options");
