import type { ReconcileReport } from '../../runtime/runtime.ts';

/** What one reconcile did, one line per kind of action: `drain web-a web-b (takes traffic away …)`. */
export function actionLines({ actions, result }: ReconcileReport): string[] {
  const lines: string[] = [];
  if (actions.length === 0) {
    for (const transition of result?.transitions ?? [])
      lines.push(`${transition.reason}: ${transition.message}`);
  }
  const groups = new Map<string, string[]>();
  for (const action of actions) {
    const name = action.do === 'create' ? action.object.metadata.name : action.name;
    const key = `${action.verb}\n${action.reason}`;
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  for (const [key, names] of groups) {
    const [verb = '', reason = ''] = key.split('\n');
    lines.push(`${verb} ${names.join(' ')} (${reason})`);
  }
  return lines;
}
