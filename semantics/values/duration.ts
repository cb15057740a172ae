/** The longest duration a plan may name: 30 days, in milliseconds. */
export const maxDurationMs = 30 * 24 * 3_600_000;

const pattern = /^(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?$/;

/**
 * Parses `90s`, `10m`, `1h30m` to milliseconds: whole hours, minutes and seconds, each at most once, largest first.
 * Undefined if the text is no such duration, or more than 30 days.
 */
export function parseDuration(text: string): number | undefined {
  const match = pattern.exec(text);
  if (match === null || text === '') return undefined;
  const [, hours = '0', minutes = '0', seconds = '0'] = match;
  const ms = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return ms <= maxDurationMs ? ms : undefined;
}

/**
 * The shortest text that `parseDuration` reads back: `5400000` is `1h30m`, `0` is `0s`. Fractions of a second are
 * rounded up, so that a remaining time never shows as zero too early; negative times are `0s`.
 */
export function formatDuration(ms: number): string {
  const total = Math.max(0, Math.ceil(ms / 1000));
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor((total % 3600) / 60);
  const seconds = total % 60;
  const text = `${hours > 0 ? `${hours}h` : ''}${minutes > 0 ? `${minutes}m` : ''}${seconds > 0 ? `${seconds}s` : ''}`;
  return text === '' ? '0s' : text;
}
