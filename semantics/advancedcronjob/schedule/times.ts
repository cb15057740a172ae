/** The times of a wall clock that a cron pattern matches. Lists are in ascending order, and none is empty. */
export interface Times {
  minutes: readonly number[];
  hours: readonly number[];
  /** 1 to 31. */
  monthDays: ReadonlySet<number>;
  /** 1 to 12. */
  months: ReadonlySet<number>;
  /** 0, a Sunday, to 6. */
  weekDays: ReadonlySet<number>;
  /** Both days are restricted: one of them is enough. */
  isEitherDay: boolean;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS: number = 24 * HOUR_MS;

/** Whether there are times in every hour of the day. */
export function areOfEachHour({ hours }: Times): boolean {
  return hours.length === 24;
}

/**
 * The first time after `after` and not after `until`; undefined: there is none. Milliseconds since 1970 on the wall clock. It
 * steps over days, and over hours and minutes of one day.
 */
export function firstMatch(times: Times, after: number, until: number): number | undefined {
  for (let day = Math.floor(after / DAY_MS) * DAY_MS; day <= until; day += DAY_MS) {
    if (!isDay(times, new Date(day))) continue;
    for (const hour of times.hours) {
      const begin = day + hour * HOUR_MS;
      if (begin + HOUR_MS <= after) continue;
      const minute = times.minutes.find((each) => begin + each * MINUTE_MS > after);
      if (minute === undefined) continue;
      const found = begin + minute * MINUTE_MS;
      return found <= until ? found : undefined;
    }
  }
  return undefined;
}

function isDay({ months, monthDays, weekDays, isEitherDay }: Times, day: Date): boolean {
  if (!months.has(day.getUTCMonth() + 1)) return false;
  const [ofMonth, ofWeek] = [monthDays.has(day.getUTCDate()), weekDays.has(day.getUTCDay())];
  return isEitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
}
