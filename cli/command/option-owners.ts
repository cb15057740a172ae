import { suggest } from '../../compiler/text/suggest.ts';

/**
 * The options of every command. The definitions of the commands say the same, but `kruise plan` loads only its own, to
 * start fast; a test compares the two.
 */
export const optionOwners: Readonly<Record<string, string>> = {
  plan: 'filename base-file base base-dir head staged out allow-render budget strict again continue target going-back output check dry-run detailed-exitcode',
  init: 'dry-run from',
  validate: 'out allow-render budget strict output',
  explain: 'namespace out output',
  comment: 'output post author name',
  build: 'sidecars check strict namespace out allow-render',
  run: 'kubeconfig context namespace policy adopt shadow admission certificates admission-port admission-host client-ca exact-budgets spreads allow-break-glass max-running config no-leader-election lease-namespace port address page log',
  admission: 'ca system url exact-budgets no-exact-budgets spreads no-spreads namespace kubeconfig context',
  status: 'all-namespaces namespace selector phase watch timeout digest kubeconfig context output',
  approve:
    'namespace all-namespaces selector group yes step digest by reason expires out kubeconfig context timeout no-wait output',
  pause: 'namespace digest by reason expires out kubeconfig context timeout no-wait output',
  resume: 'namespace yes digest by reason expires out kubeconfig context timeout no-wait output',
  abort: 'namespace digest by reason expires out kubeconfig context timeout no-wait output',
  revert: 'namespace digest by reason expires out kubeconfig context timeout no-wait output',
  'break-glass': 'namespace yes digest by reason expires out kubeconfig context timeout no-wait output',
  restart: 'namespace selector container batch since check yes kubeconfig context timeout',
  completion: '',
  sandbox:
    'port tls nodes load kubeconfig state pull-time speed max-running no-runtime mutating-policies quiet',
  kubelet:
    'kubeconfig context nodes node-prefix pull-time ready-time no-scheduler no-events beside-machines cleanup',
};

/** A hint for an option that a command does not have: one of its own that is close, or a command that has it. */
export function optionHint(name: string, own: readonly string[]): string | undefined {
  // Other tools have --json; here, as in kubectl, the format is a value.
  if (name === 'json' && own.includes('output')) return 'did you mean -o json?';
  const close = suggest(name, own) ?? own.find((option) => name.length > 2 && option.startsWith(name));
  const exact = ownersText(name);
  if (close !== undefined)
    return `did you mean --${close}?${exact === undefined ? '' : ` ${exact} --${name}`}`;
  if (exact !== undefined) return `${exact} it`;
  const other = suggest(
    name,
    Object.values(optionOwners).flatMap((options) => options.split(' ').filter((option) => option !== '')),
  );
  return other === undefined ? undefined : `${ownersText(other) ?? ''} --${other}`;
}

/** `kruise status has`, `kruise run and 9 other commands have`; undefined if no command has the option. */
function ownersText(option: string): string | undefined {
  const [first, ...others] = Object.keys(optionOwners).filter((name) =>
    optionOwners[name]?.split(' ').includes(option),
  );
  if (first === undefined) return undefined;
  if (others.length === 0) return `kruise ${first} has`;
  return `kruise ${first} and ${others.length === 1 ? `kruise ${others[0] ?? ''}` : `${others.length} other commands`} have`;
}
