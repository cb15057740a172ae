import { areShown } from '../../semantics/kinds/git-units.ts';
import { predictionOf } from '../forecast/prediction.ts';
import type { RunForecast, WaveForecast } from '../forecast/run-forecast.ts';
import type { TickForecast } from '../forecast/tick-forecast.ts';
import type { Forecast } from '../forecast/forecast.ts';
import type { UnitNouns } from '../../semantics/kinds/nouns.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import type { Change } from '../plan/change.ts';
import { shownName } from '../plan/target.ts';
import { forMarkdown, forMarkdownCode } from '../text/escape.ts';
import { changeSummary } from './change-summary.ts';
import { paceText, runSummary } from './run-summary.ts';
import { newPodsSummary } from './new-pods-summary.ts';
import { tickSummary } from './tick-summary.ts';
import { zonesText } from './node-text.ts';
import { actionText, namesText, stepsFromText, summary } from './change-text.ts';

/**
 * forecast.md of one target: summary and warnings first, then the steps, then the folded details. Contains no path, source
 * position or time, so that equal states give equal bytes.
 */
export function forecastMarkdown(
  change: Change,
  warnings: readonly Diagnostic[],
  planAtBase: RolloutPlan | undefined,
): string {
  const title = `# ${change.kind} ${forMarkdownCode(shownName(change))}: ${forMarkdown(actionText(change))}\n`;
  const body = bodyOf(change);
  // A removal has no steps: what goes with it stands in its title, and what of it is lost in its warnings.
  if (body === undefined) return [title, warningList(warnings)].filter((part) => part !== '').join('\n');
  const { sentences, table, fields } = body;
  const parts = [
    title,
    `${forMarkdown(sentences.join(' '))}\n`,
    warningList(warnings),
    table,
    supersededText(change, planAtBase),
    fields,
  ];
  return parts.filter((part) => part !== '').join('\n');
}

interface Body {
  sentences: string[];
  table: string;
  fields: string;
}

/** What the page says of a plan, by what the plan counts; undefined: there is no plan. */
function bodyOf(change: Change): Body | undefined {
  const prediction = predictionOf(change);
  switch (prediction?.of) {
    case undefined:
      return undefined;
    case 'updates': {
      const { forecast } = prediction;
      const table = [stepTable(change, forecast), subsetTable(change, forecast)].filter(Boolean).join('\n');
      return { sentences: changeSummary(change, forecast), table, fields: fieldDetails(forecast) };
    }
    case 'run': {
      const { forecast } = prediction;
      const table = `${waveTable(change.type.facts.nouns, forecast)}\n${stepsFromText(change)}\n`;
      return { sentences: runSummary(change, forecast), table, fields: changedFields(forecast) };
    }
    case 'ticks': {
      const { forecast } = prediction;
      const table = bareTable(change, forecast);
      return { sentences: tickSummary(change, forecast), table, fields: changedFields(forecast) };
    }
    case 'newPods': {
      const { forecast } = prediction;
      const table = bareTable(change, forecast);
      return { sentences: newPodsSummary(change, forecast), table, fields: fieldDetails(forecast) };
    }
  }
}

/** The begin of a page for several targets: the summary, a table, the warnings. */
export function summaryMarkdown(
  changes: readonly Change[],
  warningsOf: (change: Change) => readonly Diagnostic[],
): string {
  const shown = changes.filter(({ action }) => action !== 'Unchanged');
  const rows = shown.map((change) => {
    const prediction = predictionOf(change);
    const forecast = prediction?.of === 'updates' ? prediction.forecast : undefined;
    const stops = prediction?.forecast.approvals.join(', ') ?? '';
    const what = [
      actionText(change),
      ...(change.goesBack && forecast !== undefined ? ['back to where the plan at base starts'] : []),
      ...(forecast === undefined ? [] : furtherFacts(forecast)),
    ].join('; ');
    return `| ${change.kind} ${forMarkdownCode(shownName(change))} | ${forMarkdown(what)} | ${forMarkdown(stops)} |`;
  });
  const table = ['| target | change | approvals |', '| --- | --- | --- |', ...rows].join('\n');
  const warnings = shown.flatMap((change) =>
    warningsOf(change).map(
      (found) =>
        `- ${change.kind} ${forMarkdownCode(shownName(change))}: ${forMarkdown(found.message)} (${found.code})`,
    ),
  );
  const parts = [`# ${summary(changes)}\n`];
  if (shown.length > 0) parts.push(`${table}\n`);
  if (warnings.length > 0) parts.push(`## Warnings\n\n${warnings.join('\n')}\n`);
  return parts.join('\n');
}

/** Further facts in a line of the summary. */
function furtherFacts({ after, moreDisruptive }: Forecast): string[] {
  const isFar = moreDisruptive.some(({ mode }) => mode === 'Recreate');
  return [
    ...(isFar ? ['recreated where a cluster skipped the previous state'] : []),
    ...(after.length === 0 ? [] : [`after ${namesText(after)}`]),
  ];
}

/** Names the plan at base whose gates end with this plan, because it may still be running. */
function supersededText(change: Change, planAtBase: RolloutPlan | undefined): string {
  if (planAtBase === undefined) return '';
  const steps = planAtBase.spec.steps.map(({ id }) => forMarkdownCode(id)).join(', ');
  const [before, to] = [planAtBase.spec.to, change.plan?.spec.to];
  const where =
    before.hash === to?.hash && before.claims === to.claims
      ? 'this one continues at the same step if all steps up to it are equal but for their limits, and otherwise starts'
      : 'this one replaces it and starts';
  return `If the plan before this one is still running, ${where} at its own first step. The steps of that plan are: ${steps}.\n`;
}

function warningList(warnings: readonly Diagnostic[]): string {
  if (warnings.length === 0) return '';
  const lines = [...new Set(warnings.map((found) => `> - ${forMarkdown(found.message)} (${found.code})`))];
  return `> **Warnings**\n>\n${lines.join('\n')}\n`;
}

function stepTable(change: Change, forecast: Forecast): string {
  const { unit, units } = change.type.facts.nouns;
  const isExample = change.head !== undefined && areShown(change.head.normal.units);
  const columns = columnsOf(forecast);
  const { expected } = forecast.replicas;
  const titles = columns.map((column, index) => {
    const count = forecast.replicas[column];
    const assumed = column === 'expected' && forecast.assumed && !isExample ? ' (replicas left out)' : '';
    return `${index === 0 ? `${count === 1 ? unit : units} ` : ''}of ${count}${assumed}`;
  });
  const isNamed = forecast.rows.some(({ names }) => names !== undefined);
  const first = ['step', 'what', ...(isNamed ? ['in this order'] : [])];
  const fleet = columns.length === 0 ? undefined : forecast.fleet;
  const last = fleet === undefined ? [] : [`unavailable of ${expected}`, 'of each zone'];
  const head = `| ${[...first, ...titles, ...last].join(' | ')} |\n| ${[...first.map(() => '---'), ...[...titles, ...last].map(() => '---:')].join(' | ')} |`;
  const rows = forecast.rows.map(({ id, what, pods, names = '' }, index) => {
    const counts = columns.map((column) => (pods === undefined ? '' : String(pods[column])));
    const order = isNamed ? [forMarkdown(names)] : [];
    const onNodes = pods === undefined ? undefined : fleet?.rows[index];
    const most =
      onNodes === undefined ? last.map(() => '') : [String(onNodes.unavailable), zonesText(onNodes)];
    return `| ${[forMarkdownCode(id), forMarkdown(what), ...order, ...counts, ...most].join(' | ')} |`;
  });
  return `${head}\n${rows.join('\n')}\n\n${[stepsFromText(change), columnNote(forecast, columns, expected, isExample ? units : undefined)].join(' ').trim()}\n`;
}

/** What the steps do to each subset; '' where there are none, or no pod changes. */
function subsetTable({ type }: Change, { subsets, rows }: Forecast): string {
  if (subsets.length === 0 || rows.every(({ pods }) => pods === undefined)) return '';
  const lines = subsets.map(({ name, n, taken, lowestAvailable }) => {
    const steps = taken.map(
      ({ step, count }) => `${forMarkdownCode(step)}: ${count === n ? 'all' : String(count)}`,
    );
    return `| ${forMarkdownCode(name)} | ${n} | ${steps.join(', ')} | ${lowestAvailable} |`;
  });
  const head = `| subset | ${type.facts.nouns.units} | updated in | available at the least |\n| --- | ---: | --- | ---: |`;
  return `${head}\n${lines.join('\n')}\n`;
}

/** The steps of a run, with a column for each number of units. */
function waveTable(nouns: UnitNouns, { rows, units }: WaveForecast): string {
  const titles = units.map((count, index) => `${index === 0 ? `${nouns.units} ` : ''}of ${count}`);
  const head = `| ${['step', 'what', ...titles].join(' | ')} |\n| --- | --- | ${titles.map(() => '---:').join(' | ')} |`;
  const lines = rows.map(({ id, what, waves }) => {
    const counts = units.map((_, index) => {
      const wave = waves?.[index];
      return wave === undefined ? '' : `${wave.started}, ${paceText(wave)}`;
    });
    return `| ${[forMarkdownCode(id), forMarkdown(what), ...counts].join(' | ')} |`;
  });
  return `${head}\n${lines.join('\n')}\n`;
}

type Column = keyof Forecast['replicas'];

/** The replica counts of the columns: each number once, and none if no pod changes. */
function columnsOf({ replicas, rows }: Forecast): Column[] {
  if (rows.every(({ pods }) => pods === undefined)) return [];
  const rest = (['lowest', 'highest'] as const).filter((column) => replicas[column] !== replicas.expected);
  return (['lowest', 'expected', 'highest'] as const).filter(
    (column) => column === 'expected' || rest.includes(column),
  );
}

/** @param examples what the columns are examples of; undefined: the manifest says how many there are */
function columnNote(
  { assumed, replicasFrom, replicas, unfit }: Forecast,
  columns: readonly Column[],
  expected: number,
  examples: string | undefined,
): string {
  const misfit =
    unfit.length === 0
      ? ''
      : `With ${unfit.join(' or ')} replicas the sizes of the subsets do not fit, and nothing changes.`;
  if (columns.length < 2) return misfit;
  if (examples !== undefined) return `The columns are examples: the manifests have no number of ${examples}.`;
  const note = assumed
    ? replicasFrom === undefined
      ? `The manifest omits replicas, which OpenKruise defaults to ${expected}`
      : `The manifest omits replicas; the numbers are for ${expected}, ${replicasFrom}`
    : `The manifest sets ${expected} ${expected === 1 ? 'replica' : 'replicas'}`;
  const rest =
    columns.length === 3
      ? 'The other columns show half and twice as many'
      : `The other column shows ${replicas.highest === expected ? 'half' : 'twice'} as many`;
  return `${note}. ${rest}, because an autoscaler may have changed the number. ${misfit}`.trim();
}

/** The steps of a schedule, and the waves that each of its times goes through. */
/** The steps of a plan that counts no pods. */
function bareTable(
  change: Change,
  { rows, runs }: Pick<TickForecast, 'rows'> & Partial<Pick<TickForecast, 'runs'>>,
): string {
  const lines = rows.map(({ id, what }) => `| ${forMarkdownCode(id)} | ${forMarkdown(what)} |`);
  const waves = runs?.hasWaves === true ? `Each time:\n\n${waveTable(runs.nouns, runs.waves)}\n` : '';
  return `| step | what |\n| --- | --- |\n${lines.join('\n')}\n\n${waves}${stepsFromText(change)}\n`;
}

/** What differs from before. Nothing is updated, so that no change has an effect of its own. */
function changedFields({ fields }: Pick<RunForecast, 'fields'>): string {
  const rows = fields.map((field) => `| ${forMarkdownCode(field.path)} | ${changeOf(field)} |`);
  return rows.length === 0 ? '' : details(['field', 'change'], rows);
}

function fieldDetails({ fields }: Pick<Forecast, 'fields'>): string {
  const rows = fields.map((field) => {
    const { path, effect, reason } = field;
    return `| ${forMarkdownCode(path)} | ${changeOf(field)} | ${forMarkdown(effect)} | ${forMarkdown(reason)} |`;
  });
  return rows.length === 0 ? '' : details(['field', 'change', 'effect', 'reason'], rows);
}

function changeOf({ from, to, change }: Forecast['fields'][number]): string {
  return from !== undefined && to !== undefined
    ? `${forMarkdownCode(String(from))} → ${forMarkdownCode(String(to))}`
    : forMarkdown(change ?? 'changed');
}

function details(titles: readonly string[], rows: readonly string[]): string {
  const head = `| ${titles.join(' | ')} |\n| ${titles.map(() => '---').join(' | ')} |`;
  const count = rows.length === 1 ? '1 field changes' : `${rows.length} fields change`;
  return `<details>\n<summary>${count}</summary>\n\n${head}\n${rows.join('\n')}\n\n</details>\n`;
}
