import { describeMutants } from '../world/mutant-runs.ts';

describeMutants(2);
