import { forecastOf } from '../forecast/forecast.ts';
import type { Forecast } from '../forecast/forecast.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import type { Change } from '../plan/change.ts';
import { shownName } from '../plan/target.ts';
import { forMarkdown, forMarkdownCode } from '../text/escape.ts';
import { changeSummary } from './change-summary.ts';
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
  const forecast = forecastOf(change);
  const title = `# ${change.kind} ${forMarkdownCode(shownName(change))}: ${forMarkdown(actionText(change))}\n`;
  if (forecast === undefined) return title;
  const parts = [
    title,
    `${forMarkdown(changeSummary(change, forecast).join(' '))}\n`,
    warningList(warnings),
    stepTable(change, forecast),
    supersededText(change, planAtBase),
  ];
  if (forecast.fields.length > 0) parts.push(fieldDetails(forecast));
  return parts.filter((part) => part !== '').join('\n');
}

const SUMMARY_BEGINS = '# Plan: ';

/** Whether a SUMMARY.md is one of `kruise plan`. */
export function isSummary(text: string): boolean {
  return text.startsWith(SUMMARY_BEGINS);
}

/** One page for many targets: the summary, a table, the warnings. */
export function summaryMarkdown(
  changes: readonly Change[],
  warningsOf: (change: Change) => readonly Diagnostic[],
): string {
  const shown = changes.filter(({ action }) => action !== 'Unchanged');
  const rows = shown.map((change) => {
    const forecast = forecastOf(change);
    const stops = forecast === undefined ? '' : forecast.approvals.join(', ');
    const what = [
      actionText(change),
      ...(change.goesBack ? ['back to where the plan at base starts'] : []),
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
      ? 'this one continues at the same step if all steps up to it are equal, and otherwise starts'
      : 'this one replaces it and starts';
  return `If the plan before this one is still running, ${where} at its own first step. The steps of that plan are: ${steps}.\n`;
}

function warningList(warnings: readonly Diagnostic[]): string {
  if (warnings.length === 0) return '';
  const lines = [...new Set(warnings.map((found) => `> - ${forMarkdown(found.message)} (${found.code})`))];
  return `> **Warnings**\n>\n${lines.join('\n')}\n`;
}

function stepTable(change: Change, forecast: Forecast): string {
  const { unit, units } = change.type.nouns;
  const columns = columnsOf(forecast);
  const { expected } = forecast.replicas;
  const titles = columns.map((column, index) => {
    const count = forecast.replicas[column];
    const assumed = column === 'expected' && forecast.assumed ? ' (replicas left out)' : '';
    return `${index === 0 ? `${count === 1 ? unit : units} ` : ''}of ${count}${assumed}`;
  });
  const isNamed = forecast.rows.some(({ names }) => names !== undefined);
  const first = ['step', 'what', ...(isNamed ? ['in this order'] : [])];
  const head = `| ${[...first, ...titles].join(' | ')} |\n| ${[...first.map(() => '---'), ...titles.map(() => '---:')].join(' | ')} |`;
  const rows = forecast.rows.map(({ id, what, pods, names = '' }) => {
    const counts = columns.map((column) => (pods === undefined ? '' : String(pods[column])));
    const order = isNamed ? [forMarkdown(names)] : [];
    return `| ${[forMarkdownCode(id), forMarkdown(what), ...order, ...counts].join(' | ')} |`;
  });
  return `${head}\n${rows.join('\n')}\n\n${[stepsFromText(change), columnNote(forecast, columns, expected)].join(' ').trim()}\n`;
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

function columnNote({ assumed }: Forecast, columns: readonly Column[], expected: number): string {
  if (columns.length < 2) return '';
  const note = assumed
    ? `The manifest omits replicas, which OpenKruise defaults to ${expected}`
    : `The manifest sets ${expected} ${expected === 1 ? 'replica' : 'replicas'}`;
  const rest =
    columns.length === 3
      ? 'The other columns show half and twice as many'
      : 'The other column shows twice as many';
  return `${note}. ${rest}, because an autoscaler may have changed the number.`;
}

function fieldDetails(forecast: Forecast): string {
  const rows = forecast.fields.map(({ path, from, to, change, effect, reason }) => {
    const shown =
      from !== undefined && to !== undefined
        ? `${forMarkdownCode(String(from))} → ${forMarkdownCode(String(to))}`
        : forMarkdown(change ?? 'changed');
    return `| ${forMarkdownCode(path)} | ${shown} | ${forMarkdown(effect)} | ${forMarkdown(reason)} |`;
  });
  const count = rows.length === 1 ? '1 field changes' : `${rows.length} fields change`;
  return `<details>\n<summary>${count}</summary>\n\n| field | change | effect | reason |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n\n</details>\n`;
}
