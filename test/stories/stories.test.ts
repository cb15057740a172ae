import { describe, expect, test } from 'vitest';
import { expectGolden } from '../golden.ts';
import { sampled } from '../lanes.ts';
import { disturbed, idle } from './disturbed.ts';
import { compareWithForecast } from './forecast-comparison.ts';
import { stories } from './stories.ts';
import { createStoryCluster } from './stage.ts';

describe('stories', () => {
  for (const { file, title, summary, play, ...options } of sampled('stories', stories, 12)) {
    test(title, async () => {
      const stage = await createStoryCluster(options);
      const forecast = compareWithForecast(stage);
      await play(stage, expect);
      stage.transcript.table('The pods at the end', await stage.pods());
      await stage.stop();
      const { differs } = disturbed[file] ?? { differs: [] };
      expect(forecast.differences(), 'what happens is what was foretold').toEqual(differs);
      expect(forecast.started() === 0, 'there was a rollout to compare').toBe(idle.has(file));
      expectGolden(`stories/${file}.md`, `# ${title}\n\n${summary}\n\n${stage.transcript.text()}`);
    });
  }

  test('those that are disturbed are stories', () => {
    const files = new Set(stories.map(({ file }) => file));
    expect([...Object.keys(disturbed), ...idle].filter((file) => !files.has(file))).toEqual([]);
  });
});
