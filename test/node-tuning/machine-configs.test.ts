import { runScenarios } from "./scenarios.ts";

runScenarios("machine-configs");
