const second = 1;
const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** Up to how many seconds a span is told in which units. */
const forms: readonly { below: number; major: number; sign: string; minor?: number; minorSign?: string }[] = [
  { below: 2 * minute, major: second, sign: 's' },
  { below: 10 * minute, major: minute, sign: 'm', minor: second, minorSign: 's' },
  { below: 3 * hour, major: minute, sign: 'm' },
  { below: 8 * hour, major: hour, sign: 'h', minor: minute, minorSign: 'm' },
  { below: 2 * day, major: hour, sign: 'h' },
  { below: 8 * day, major: day, sign: 'd', minor: hour, minorSign: 'h' },
  { below: 2 * year, major: day, sign: 'd' },
  { below: 8 * year, major: year, sign: 'y', minor: day, minorSign: 'd' },
  { below: Infinity, major: year, sign: 'y' },
];

/**
 * A span of milliseconds as tables show it: `119s`, `2m5s`, `3h10m`, `5d`, `2y3d`. Whole units, rounded down; the
 * smaller unit is left out where it is 0. Clocks may differ by a second: what is a little in the future is `0s`,
 * anything further is `<invalid>`.
 */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (Number.isNaN(seconds) || seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  const form = forms.find(({ below }) => seconds < below);
  if (form === undefined) return '<invalid>';
  const { major, sign, minor, minorSign } = form;
  const text = `${Math.floor(seconds / major)}${sign}`;
  const rest = minor === undefined ? 0 : Math.floor((seconds % major) / minor);
  return rest === 0 ? text : `${text}${rest}${minorSign}`;
}

/** How long ago a timestamp (RFC 3339) was; `<unknown>` when there is none. `now` is milliseconds since 1970 UTC. */
export function since(timestamp: unknown, now: number): string {
  if (typeof timestamp !== 'string' || timestamp === '') return '<unknown>';
  return humanDuration(now - Date.parse(timestamp));
}
