import { describeDeaths } from './deaths.ts';
import { inPlace } from './stories.ts';

describeDeaths(inPlace);
