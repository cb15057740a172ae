import { basics } from './basics.ts';
import { speaking } from './speaking.ts';
import { storage } from './storage.ts';
import { rolloutSuite } from './suite.ts';
import { weather } from './weather.ts';

rolloutSuite('roll-outs', [...basics, ...speaking, ...weather, ...storage], (world) =>
  world.startRuntime({ args: ['--policy', 'Auto'] }),
);
