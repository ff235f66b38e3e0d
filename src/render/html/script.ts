import { formatPercent } from '../../core/percent.ts'
import { formatDuration } from '../../lib/duration.ts'
import {
  caseDetails,
  checkDetails,
  checksOf,
  commonEnds,
  element,
  figuresOf,
  opensRuns,
  runDetails,
  sectionOf,
} from './browser/details.ts'
import { findCases, groupsOf, sortCases, textsIn } from './browser/find.ts'
import {
  caseCells,
  caseRow,
  detailsRow,
  dotsOf,
  drawList,
  drawPager,
  hasColumn,
  pageSize,
  statusOf,
  toggleCase,
  turnPage,
} from './browser/list.ts'
import {
  addFilters,
  addSearch,
  addSorting,
  addSuites,
  filterNames,
  openLinked,
  openShown,
  search,
  startPage,
} from './browser/start.ts'

/**
 * The functions of the page. Each uses nothing but its arguments and the browser, so that it can be sent there as its
 * own source: the page is checked and tested like the rest of the program, and a bundle's renaming cannot break it.
 */
export const PARTS = {
  addFilters,
  addSearch,
  addSorting,
  addSuites,
  caseCells,
  caseDetails,
  caseRow,
  checkDetails,
  checksOf,
  commonEnds,
  detailsRow,
  dotsOf,
  drawList,
  drawPager,
  element,
  figuresOf,
  filterNames,
  findCases,
  formatDuration,
  formatPercent,
  groupsOf,
  hasColumn,
  openLinked,
  openShown,
  opensRuns,
  pageSize,
  runDetails,
  search,
  sectionOf,
  sortCases,
  startPage,
  statusOf,
  textsIn,
  toggleCase,
  turnPage,
}

/** The page's one script. */
export function pageScript(): string {
  const parts = Object.entries(PARTS).map(([name, part]) => `${name}: ${part.toString()}`)
  return `"use strict";\nconst parts = {\n${parts.join(',\n')}\n};\nparts.startPage(document, window, parts);\n`
}
