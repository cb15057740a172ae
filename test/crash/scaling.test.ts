import { describeDeaths } from './deaths.ts';
import { scaling } from './stories.ts';

describeDeaths(scaling);
