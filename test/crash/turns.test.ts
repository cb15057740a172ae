import { describeDeaths } from './deaths.ts';
import { turns } from './stories.ts';

describeDeaths(turns);
