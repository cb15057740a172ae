import { runs } from './runs.ts';
import { withoutJobs } from './schedules.ts';
import { rolloutSuite } from './suite.ts';

rolloutSuite('runs', [...runs, withoutJobs], (world) => world.startRuntime());
