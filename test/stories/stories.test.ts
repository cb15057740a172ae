import { describe, expect, test } from 'vitest';
import { expectGolden } from '../golden.ts';
import { stories } from './stories.ts';
import { createStage } from './stage.ts';

describe('stories', () => {
  for (const { file, title, tells, play, ...options } of stories) {
    test(title, async () => {
      const stage = await createStage(options);
      await play(stage, expect);
      stage.transcript.table('The pods at the end', await stage.pods());
      await stage.stop();
      expectGolden(`stories/${file}.md`, `# ${title}\n\n${tells}\n\n${stage.transcript.text()}`);
    });
  }
});
