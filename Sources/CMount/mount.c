#include "CMount.h"
