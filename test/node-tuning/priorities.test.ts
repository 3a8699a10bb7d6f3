import { runScenarios } from "./scenarios.ts";

runScenarios("priorities");
