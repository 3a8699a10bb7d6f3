import { runScenarios } from "./scenarios.ts";

runScenarios("management-state");
