import { describeDeaths } from './deaths.ts';
import { recreation } from './stories.ts';

describeDeaths(recreation);
