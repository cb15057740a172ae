import { statusPage } from '../../cli/status/page.ts';
import { statusesOf } from '../../cli/status/read.ts';
import { pageHash } from '../../cli/page-hash.ts';
import { htmlPage } from '../../compiler/render/page/page.ts';
import { asking, held, is, NOW, plan, statusObjects, target } from '../cli/status/objects.ts';
import { compiledFleet, fleet } from '../compiler/world/fleet.ts';

/** The pages that a person reads, by name. `first`: a part of the name of the target that is first. */
export interface ShownPage {
  html: string;
  first: string;
  /** A word by which one target is found, and its name. */
  word: string;
  found: string;
}

const SEED = 42;

/** The page of a change of forty targets. */
export function planPage(): ShownPage {
  const { files, dangerous } = fleet(40, SEED);
  return {
    html: htmlPage(compiledFleet(files), pageHash),
    first: dangerous,
    word: 'app-007',
    found: 'app-007',
  };
}

/** The page of what runs, with a target in each state. */
export function livePage(): ShownPage {
  const objects = statusObjects({
    targets: [
      target('web', { updatedReplicas: 1, availableReplicas: 3 }),
      target('api', { ...held('NoPlan', 'the template changed and no plan covers it') }),
      target('evil', { updatedReplicas: 1 }),
      target('calm'),
      target('busy', { updatedReplicas: 2 }),
    ],
    plans: [
      asking,
      plan('busy', { phase: 'Running', step: 'batch-1', steps: '1/6' }),
      plan('evil', {
        phase: 'Halted',
        step: 'batch-1',
        steps: '1/6',
        message: 'pods of the step do not become available',
        conditions: [is('Stalled', 'Halted')],
      }),
    ],
  });
  return { html: statusPage(statusesOf(objects), NOW), first: 'evil', word: 'calm', found: 'calm' };
}
