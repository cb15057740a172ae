import type { FromEntry, RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { type GitUnits, rolloutSize } from '../../semantics/kinds/git-units.ts';
import { ownPolicy } from '../../semantics/policy.ts';
import { countText } from '../../semantics/values/text.ts';
import type { Explained } from '../explain/state.ts';
import { gateText, pullText } from '../forecast/gate-text.ts';
import type { Change } from '../plan/change.ts';
import { shownName } from '../plan/target.ts';
import { forTerminal, shorten } from '../text/escape.ts';
import type { Paint } from '../text/paint.ts';
import { actionText, stepsFromText, units } from './change-text.ts';
import { predictionOf } from '../forecast/prediction.ts';
import { imagesText } from './earlier-text.ts';
import { planLines, planSentences } from './human.ts';
import { nodeSentences } from './node-text.ts';
import { reachSentences } from './reach-text.ts';

/** Which pods, whether a change waits for a plan, and what the committed plan does, or what the next one would. */
export function explanationText(explained: Explained, paint: Paint): string {
  const { kind, head, plan } = explained;
  const title = paint('bold', forTerminal(`${kind} ${shownName(explained)}`));
  const where = head === undefined ? '' : `, in ${forTerminal(head.manifest.origin.source.file)}`;
  const lines = [`${title}${where}`];
  const say = (text: string): void => void lines.push(`  ${forTerminal(text)}`);
  if (head === undefined) say('No manifest of it was read here.');
  else manifestSentences(explained, head).forEach(say);
  say(planSentence(explained));
  if (plan !== undefined) {
    say(`Its digest is ${plan.plan.spec.digest}.`);
    for (const entry of plan.plan.spec.from) say(fromText(entry));
  }
  const { change } = explained;
  if (explained.fit === 'leads' && change !== undefined) {
    say(`For the manifest as it is: ${actionText(change)}.`);
    const prediction = predictionOf(change);
    lines.push(...planLines(change, prediction, paint));
    for (const sentence of planSentences(change, prediction)) lines.push(`      ${forTerminal(sentence)}`);
  } else {
    if (plan !== undefined) lines.push('', '  The plan has these steps:', ...bareSteps(plan.plan));
    if (change !== undefined) {
      lines.push(
        '',
        '  The next change of its template would have these steps:',
        ...planLines(change, predictionOf(change), paint),
      );
      lines.push(`      ${stepsFromText(change)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** Which pods of other owners it selects, unless the sentences of its plan name them. */
function selectedSentences(change: Change, fit: Explained['fit']): string[] {
  const named =
    fit === 'leads'
      ? []
      : reachSentences(change, (change.head && rolloutSize(change.head.normal.units)) ?? 0);
  return ['It selects pods of other owners.', ...named];
}

/** How many units it has, as far as its manifest says. */
function sizeSentences(
  own: GitUnits,
  change: Change,
  fit: Explained['fit'],
  replicasFrom: string | undefined,
): string[] {
  switch (own.of) {
    case 'replicas': {
      const from = own.isWritten ? '' : `, ${replicasFrom ?? 'unless an autoscaler says otherwise'}`;
      return [`It has ${units(own.n, change.type)}${from}.`];
    }
    case 'nodes':
      return fit === 'leads' ? [] : nodeSentences(change, rolloutSize(own) ?? 0);
    case 'subsets':
      return [subsetsSentence(own, change, replicasFrom)];
    case 'selected':
      return selectedSentences(change, fit);
    case 'run':
    case 'ticks':
      return [];
  }
}

/** `It has 10 pods in 3 subsets: a 5, b 3, c 2 (as a whole).` */
function subsetsSentence(
  own: GitUnits & { of: 'subsets' },
  { type }: Change,
  replicasFrom: string | undefined,
): string {
  const from = own.isWritten ? '' : `, ${replicasFrom ?? 'unless an autoscaler says otherwise'}`;
  const parts = own.list.map(
    ({ name, n, steps }) => `${shorten(name, 80)} ${n}${steps === 'whole' ? ' (as a whole)' : ''}`,
  );
  return `It has ${units(rolloutSize(own) ?? 0, type)} in ${countText(own.list.length, 'subset', 'subsets')}: ${parts.join(', ')}${from}.`;
}

function manifestSentences(
  { change, fit }: Explained,
  { normal, manifest, replicasFrom }: NonNullable<Explained['head']>,
): string[] {
  const policy = ownPolicy(manifest.object);
  const waits = policy === 'Required' || policy === 'Auto' ? policy : undefined;
  const size = change === undefined ? [] : sizeSentences(normal.units, change, fit, replicasFrom);
  const which = manifest.type.resource.namespaced ? 'its namespace' : 'the namespaces of its pods';
  return [
    ...size,
    waits === undefined
      ? `A change waits for a plan if ${which} or the runtime require one.`
      : waits === 'Required'
        ? 'A change of its template waits for a plan (policy Required).'
        : `Without a plan a change begins at once, unless ${which} or the runtime require one (policy Auto).`,
  ];
}

function planSentence({ plan, isPlanInvalid, expectedFile, fit, head }: Explained): string {
  if (plan === undefined && isPlanInvalid) return 'Its plan is invalid, and clusters refuse it.';
  if (plan === undefined) return `There is no plan at ${expectedFile ?? 'all'}.`;
  const { file } = plan;
  if (head === undefined) return `Its plan is ${file}.`;
  const elsewhere = expectedFile === file ? '' : ` It belongs at ${expectedFile}.`;
  switch (fit) {
    case 'leads':
    case undefined:
      return `Its plan ${file} leads to this manifest.${elsewhere}`;
    case 'other bound':
      return `Its plan ${file} leads to this template, with another partition, selector or claims.${elsewhere}`;
    case 'goes back':
      return `Its plan ${file} starts from this manifest: ${plan.plan.spec.irreversible === undefined ? 'clusters that accepted it go back without gates' : 'the way back needs a plan of its own'}.${elsewhere}`;
    case 'other':
      return `Its plan ${file} leads to another template than this manifest has. kruise plan writes one that leads here.${elsewhere}`;
  }
}

const MODES: Record<FromEntry['mode'], string> = {
  InPlace: 'may be updated in place',
  Recreate: 'may be recreated',
  MetadataOnly: 'may be relabeled',
  NewPodsOnly: 'stay as they are; new ones get the change',
};

function fromText({ hash, mode, depart, images }: FromEntry): string {
  const back = depart === true ? ', and never go back to it without a plan' : '';
  const runs = images === undefined ? '' : `, which run ${imagesText(images)},`;
  return `Pods on ${hash}${runs} ${MODES[mode]}${back}.`;
}

/** The steps as the plan has them, without numbers of pods. */
function bareSteps({ spec }: RolloutPlan): string[] {
  return spec.steps.map((step) => {
    const { id, update, run, pull } = step;
    const work = update ?? run;
    const what =
      work !== undefined
        ? `${update === undefined ? 'run on' : 'update to'} ${work.to}`
        : pull === undefined
          ? gateText(step)
          : pullText(pull);
    const isGate = work === undefined && pull === undefined;
    return `      ${isGate ? '!' : '>'} ${forTerminal(`${id}  ${what}`)}`;
  });
}
