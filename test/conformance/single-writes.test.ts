import { expect, test } from 'vitest';
import { playTrials } from './play-trials.ts';
import { plays } from './workload-spread/plays.ts';

/** An Event that comes before the status that it tells of would be the only write of each. */
test(
  'runtimes that end after one write each tell of a subset that takes pods again, and go on',
  { timeout: 60_000 },
  async () => {
    const [play] = plays.filter(({ title }) => title.startsWith('a Job whose first zone is full'));
    const [trial] = playTrials
      .crashes([])
      .filter(({ title }) => title === 'every runtime ends after 1 writes');
    if (play === undefined || trial === undefined) throw new Error('there is no such play');
    expect(await play.play(trial.start)).toEqual(play.expected);
  },
);
